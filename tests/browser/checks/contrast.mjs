// Whether text can be read: its colour against what lies behind it, by the measure of WCAG 2.

/** Texts of the page whose contrast is below 4.5 (3 for large text), each with its ratio. */
export async function unreadable(page) {
  return page.evaluate(() => {
    // A canvas turns any colour CSS can write into red, green, blue and alpha.
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
      .getContext("2d", { willReadFrequently: true });
    function parse(colour) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
      return { rgb: [red, green, blue], alpha: alpha / 255 };
    }
    const over = (top, below) => top.rgb.map((value, i) => value * top.alpha + below[i] * (1 - top.alpha));
    function luminance(rgb) {
      const [red, green, blue] = rgb.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
    function ground(element) {
      const layers = [];
      for (let at = element; at; at = at.parentElement) {
        layers.push(parse(getComputedStyle(at).backgroundColor));
        if (at.matches("svg")) {
          const paper = at.querySelector(".paper");
          if (paper) layers.push(parse(getComputedStyle(paper).fill));
        }
        if (layers.at(-1).alpha === 1) break;
      }
      return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    }

    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const text = walker.currentNode.textContent.trim();
      if (text === "" || element.closest("script, style, .spoken, title")) continue;
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const drawn = element.closest("svg") !== null;
      // Text on the cells of a map has a ground of its own, which its figure answers for.
      if (drawn && !element.matches(".ink, .ink-soft")) continue;
      const style = getComputedStyle(element);
      const behind = ground(element);
      const ink = over(parse(drawn ? style.fill : style.color), behind);
      const [light, dark] = [luminance(ink), luminance(behind)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      const large = parseFloat(style.fontSize) >= 24;
      if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} for "${text.slice(0, 40)}"`);
    }
    return found;
  });
}
