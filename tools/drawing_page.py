"""A drawing as a page of HTML to move around in."""

from html import escape

FORMATS = (".html", ".svg", ".png", ".pdf", ".dot")
"""The suffixes of files with drawings."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ margin: 0; overflow: hidden; background: white; font: 14px sans-serif; }}
svg {{ width: 100vw; height: 100vh; touch-action: none; cursor: grab; }}
p {{ position: fixed; left: 8px; bottom: 8px; margin: 0; color: #606060; }}
</style>
{image}
<p>Drag to move, turn the wheel to zoom, double-click to see all.</p>
<script>
const svg = document.querySelector("svg");
const whole = svg.getAttribute("viewBox").split(" ").map(Number);
svg.removeAttribute("width");
svg.removeAttribute("height");
svg.setAttribute("preserveAspectRatio", "xMidYMin");
let view;
const show = (given) => {{
  view = given;
  svg.setAttribute("viewBox", view.join(" "));
}};
const scale = () => Math.max(view[2] / innerWidth, view[3] / innerHeight);
// At first as wide as the window, at most life-size.
const width = Math.max(whole[2], innerWidth);
const left = whole[0] + (whole[2] - width) / 2;
show([left, whole[1], width, (width / innerWidth) * innerHeight]);
svg.addEventListener("wheel", (event) => {{
  event.preventDefault();
  const by = Math.exp(event.deltaY / 500);
  const point = new DOMPoint(event.clientX, event.clientY);
  const {{ x, y }} = point.matrixTransform(svg.getScreenCTM().inverse());
  show([x - (x - view[0]) * by, y - (y - view[1]) * by, view[2] * by, view[3] * by]);
}});
svg.addEventListener("pointerdown", (event) => svg.setPointerCapture(event.pointerId));
svg.addEventListener("pointermove", (event) => {{
  if (!event.buttons) return;
  const [x, y, ...size] = view;
  show([x - event.movementX * scale(), y - event.movementY * scale(), ...size]);
}});
svg.addEventListener("dblclick", () => show(whole));
</script>
</html>
"""


def page_of(svg: bytes, title: str) -> bytes:
    """Return a page with the drawing `svg`, which the mouse moves and zooms."""
    image = svg.decode()
    image = image[image.index("<svg") :]
    return _PAGE.format(title=escape(title), image=image).encode()
