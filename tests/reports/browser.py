"""What a real browser sees of a page: overflow, contrast, focus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}

OVERFLOWS = """() => {
  const width = document.documentElement.clientWidth;
  const inBox = (e) => e.closest(".scroll") && !e.classList.contains("scroll");
  return [...document.querySelectorAll("body *")].filter((e) => {
    const box = e.getBoundingClientRect();
    if (!box.width || inBox(e) || e.closest("script, .modebar, #js-plotly-tester")) return false;
    return box.right > width + 1 || box.left < -1;
  }).map((e) => e.outerHTML.slice(0, 120));
}"""

# Texts of a figure that lie outside it, where they would be cut off.
CUT = """() => [...document.querySelectorAll(".figure")].flatMap((figure) => {
  const frame = figure.getBoundingClientRect();
  return [...figure.querySelectorAll("svg text")].filter((text) => {
    const box = text.getBoundingClientRect();
    const outside = box.right > frame.right + 1 || box.left < frame.left - 1;
    return box.width && (outside || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
  }).map((text) => `${figure.id}: ${text.textContent}`);
})"""

# Every text with its contrast against the first opaque background behind it (WCAG 2).
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((c) => linear(c / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement, style = getComputedStyle(element);
    if (!node.textContent.trim() || element.closest("script, style, .modebar")) continue;
    if (!element.getClientRects().length || style.visibility === "hidden") continue;
    const back = behind(element);
    const colour = rgba(element.closest("svg") ? style.fill : style.color);
    let opacity = colour[3] / 255;
    for (let e = element; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    const seen = [0, 1, 2].map((i) => opacity * colour[i] + (1 - opacity) * back[i]);
    const [high, low] = [light(seen), light(back)].sort((a, b) => b - a);
    found.push([(high + 0.05) / (low + 0.05), node.textContent.trim().slice(0, 60)]);
  }
  return found;
}"""

# What can be reached, and what has to be.
REACHABLE = "a[href], button, input, .scroll"
FOCUSED = """() => {
  const style = getComputedStyle(document.activeElement);
  return [document.activeElement.dataset.test, style.outlineStyle !== "none"];
}"""


class Opened:
    """A page in the browser, drawn, with what it wrote to the console."""

    def __init__(self, browser: Browser, file: Path, size: str = "desktop", **options: Any) -> None:
        width, height = SIZES[size]
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, offline=True, **options
        )
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-drawn]", state="attached", timeout=60_000)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def faint(self) -> list[Any]:
        """The texts whose contrast is below 4.5."""
        return [pair for pair in self.page.evaluate(CONTRAST) if pair[0] < 4.5]

    def tab_through(self) -> dict[str, bool]:
        """What the Tab key reaches from the start, and whether its focus can be seen."""
        label = f"document.querySelectorAll('{REACHABLE}').forEach((e, i) => e.dataset.test = i)"
        self.page.evaluate(label)
        found: dict[str, bool] = {}
        for _ in range(500):
            self.page.keyboard.press("Tab")
            name, visible = self.page.evaluate(FOCUSED)
            if name in found:
                break
            if name is not None:
                found[name] = visible
        return found
