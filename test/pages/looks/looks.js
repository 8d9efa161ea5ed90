// In the browser, put there by the tests beside axe-core: what can be measured of a page's looks.
// Rule: a measure that finds nothing on a page that is broken is worth nothing: views-templates.test.ts shows each of them awake.
globalThis.looks = {
  /** Elements that reach over the window's edge, and texts that don't fit the box that they stand in. */
  overhang() {
    const { clientWidth: width, scrollWidth } = document.documentElement;
    const found = scrollWidth > width ? [`the page is ${scrollWidth} wide in ${width}`] : [];
    for (const element of document.querySelectorAll('body *')) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      const name = `${element.tagName.toLowerCase()} "${(element.textContent ?? '').slice(0, 40)}"`;
      if (box.left < -0.5 || box.right > width + 0.5) found.push(`${name} reaches from ${box.left} to ${box.right}`);
      // An input scrolls what is typed; everything else shows all of it.
      if (element.tagName !== 'INPUT' && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
        found.push(`${name} is ${element.scrollWidth} wide in ${element.clientWidth}`);
    }
    return found;
  },
  /** Buttons whose text is cut off or broken within a word; labels and placeholders that their input doesn't hold. */
  cut() {
    const found = [];
    const pen = document.createElement('canvas').getContext('2d');
    for (const button of document.querySelectorAll('button,.button')) {
      if (button.scrollWidth > button.clientWidth + 1 || button.scrollHeight > button.clientHeight + 1)
        found.push(`button "${button.textContent}"`);
    }
    for (const input of document.querySelectorAll('input[placeholder]')) {
      const style = getComputedStyle(input);
      pen.font = style.font;
      const room = input.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (pen.measureText(input.placeholder).width > room) found.push(`placeholder "${input.placeholder}"`);
    }
    return found;
  },
  /** Rules of WCAG 2.2 A and AA and axe-core's own advice that the page breaks, with the element. */
  async faults() {
    const { violations } = await globalThis.axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 240)}`),
    );
  },
  /** Every element with its attributes' names, without texts; of the page, or of a page's text as this browser reads it. */
  skeleton(text) {
    const page = text === undefined ? document : new DOMParser().parseFromString(text, 'text/html');
    return [...page.querySelectorAll('*')].map(
      (element) => `${element.tagName.toLowerCase()} ${element.getAttributeNames().sort().join(' ')}`,
    );
  },
  /** What a typed value is after the browser has read it back. */
  type(values) {
    const form = document.querySelector('#card');
    for (const [name, value] of Object.entries(values)) {
      const input = form.elements.namedItem(name);
      input.removeAttribute('maxlength');
      input.value = value;
    }
  },
  /** Every hidden input of the name gets the value. */
  fill(name, value) {
    for (const input of document.querySelectorAll(`input[name=${name}]`)) input.value = value;
  },
  /** As a browser without our script sends it. */
  send(selector) {
    document.querySelector(selector).submit();
  },
};
