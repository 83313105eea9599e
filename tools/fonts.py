"""Cut the fonts of the site to the letters that it uses, into book/_static/fonts.

    python -m tools.fonts

It needs npm, which fetches them, and ``pip install fonttools[woff]``. What it writes is
committed, with a licence for each: building the book needs neither.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from tools.common import ROOT, ToolError, say

__all__ = ["main"]

OUT = ROOT / "book" / "_static" / "fonts"
MOST = 150_000  # bytes of all fonts together: the first page of a reader fetches them
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x100), *map(ord, "ćŒœ–—‘’“”…‹›−€™")]
SIGNS = [*map(ord, "←↑→↓≈≠≤≥√∞ρ■▶●○◆✓✗")]
#: The name of a file: its package, the file there, and the letters to keep.
FONTS = {
    "serif": ("source-serif-4", "latin-400-normal", LETTERS),
    "serif-italic": ("source-serif-4", "latin-400-italic", LETTERS),
    "serif-bold": ("source-serif-4", "latin-600-normal", LETTERS),
    "sans": ("ibm-plex-sans", "latin-400-normal", LETTERS),
    "sans-bold": ("ibm-plex-sans", "latin-600-normal", LETTERS),
    "mono": ("ibm-plex-mono", "latin-400-normal", LETTERS),
    "mono-bold": ("ibm-plex-mono", "latin-600-normal", LETTERS),
    "signs": ("noto-sans-math", "latin-400-normal", SIGNS),
}
VERSION = "5.3.0"  # of each package


def main() -> None:
    """Fetch, cut and write the fonts; say how large each has become.

    Raises:
        ToolError: a file is missing in its package, or all are larger than MOST.
    """
    from fontTools import subset

    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        used = sorted({package for package, _, _ in FONTS.values()})
        names = [f"@fontsource/{name}@{VERSION}" for name in used]
        subprocess.run(["npm", "install", "--silent", *names], cwd=folder, check=True)
        packages = Path(folder, "node_modules", "@fontsource")
        for name in used:
            shutil.copyfile(packages / name / "LICENSE", OUT / f"{name}.LICENSE.txt")
        sizes = {}
        for short, (package, file, letters) in FONTS.items():
            source = packages / package / "files" / f"{package}-{file}.woff2"
            if not source.exists():
                raise ToolError(
                    f"{package} has no {source.name}: name another in FONTS"
                )
            options = subset.Options(flavor="woff2", layout_features=["*"])
            # The licences keep the names of the fonts for what nobody has changed.
            options.obfuscate_names = True
            options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
            font = subset.load_font(str(source), options)
            cutter = subset.Subsetter(options)
            cutter.populate(unicodes=letters)
            cutter.subset(font)
            target = OUT / f"{short}.woff2"
            subset.save_font(font, str(target), options)
            sizes[short] = target.stat().st_size
    for short, size in sizes.items():
        say(f"{size:7,} bytes  {short}")
    total = sum(sizes.values())
    if total > MOST:
        raise ToolError(f"{total:,} bytes of fonts, and {MOST:,} are allowed")
    say(f"{total:7,} bytes together")


if __name__ == "__main__":
    main()
