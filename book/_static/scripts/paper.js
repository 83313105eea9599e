// On paper a page is light, whatever it is on the screen.
{
  const { dataset } = document.documentElement;
  let shown;

  addEventListener("beforeprint", () => {
    shown = dataset.theme;
    dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    dataset.theme = shown;
  });
}
