"""`make execute`: files change only when every cell of every notebook succeeded."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.execute import main, normalise, only_defines, select


def write(path, *sources, **tags):
    cells = [new_markdown_cell("# A title")]
    cells += [new_code_cell(source) for source in sources]
    for index, names in tags.items():
        cells[int(index.removeprefix("cell"))].metadata.tags = names
    notebook = new_notebook(cells=cells)
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"name": "other", "display_name": "mine", "language": "x"},
            "language_info": {"name": "python", "version": "3.8.1"},
        }
    )
    nbformat.write(notebook, path)
    return path


def texts(path):
    cells = nbformat.read(path, 4).cells[1:]
    return [cell.outputs[0].data["text/plain"] for cell in cells]


@pytest.mark.parametrize(
    ("source", "defines"),
    [
        ("", True),
        ("import time\nfrom a import b", True),
        ("def f(): return 1\n\nclass A: x = 1\n\nasync def g(): pass", True),
        ("x = 1", False),
        ("def f(): pass\nf()", False),
        ("%time f()", False),
        ("await f()", False),
    ],
)
def test_a_cell_that_only_defines_needs_no_quiet_machine(source, defines):
    assert only_defines(source) is defines


def test_streams_are_joined_but_not_across_a_picture():
    def stream(name, text):
        return nbformat.v4.new_output("stream", name=name, text=text)

    picture = nbformat.v4.new_output("display_data", data={"text/plain": "p"})
    cell = new_code_cell("x")
    streams = [stream("stdout", "a"), stream("stderr", "!"), stream("stdout", "b")]
    cell.outputs = [*streams, picture, stream("stdout", "c")]
    notebook = new_notebook(cells=[cell])
    normalise(notebook)
    texts = [output.get("text") for output in notebook.cells[0].outputs]
    assert texts == ["ab", "!", None, "c"]


@pytest.mark.parametrize("prefix", ["04", "04_b", "notebooks/04_b.ipynb"])
def test_a_prefix_selects(tmp_path, prefix):
    for name in ("01_a", "04_b"):
        write(tmp_path / f"{name}.ipynb", "1")
    assert [path.stem for path in select(tmp_path, prefix)] == ["04_b"]


@pytest.mark.parametrize("words", [["99"], ["01", "--patience", "nan"]])
def test_a_mistake_is_one_line(words, capsys):
    assert main(words) == 1
    error = capsys.readouterr().err
    assert words[-1] in error and error.count("\n") == 1
