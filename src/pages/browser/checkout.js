// In the payer's browser. Everything here is comfort: each page does its work without it. Its text goes into the page as it stands here,
// and its hash into the page's policy. No request is made, nothing is stored, and no value of a field leaves the field.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  const digitsOf = (text) => text.replace(/\D/g, '');

  const BRANDS = [
    { name: 'Visa', begins: /^4/, groups: [4, 4, 4, 4, 3], lengths: [13, 16, 19], cvv: 3 },
    {
      name: 'Mastercard',
      begins: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
      groups: [4, 4, 4, 4],
      lengths: [16],
      cvv: 3,
    },
    { name: 'American Express', begins: /^3[47]/, groups: [4, 6, 5], lengths: [15], cvv: 4 },
    { name: 'Maestro', begins: /^(50|5[6-9]|6[0-39])/, groups: [4, 4, 4, 4, 3], lengths: [19], cvv: 3 },
    { name: 'Diners Club', begins: /^3(0[0-5]|[689])/, groups: [4, 6, 4], lengths: [14], cvv: 3 },
    { name: 'JCB', begins: /^35/, groups: [4, 4, 4, 4], lengths: [16], cvv: 3 },
  ];
  const OTHER = { name: '', begins: /^/, groups: [4, 4, 4, 4, 3], lengths: [19], cvv: 4 };
  const brandOf = (digits) => BRANDS.find(({ begins }) => begins.test(digits)) ?? OTHER;

  const grouped = (digits) => {
    const groups = [];
    let at = 0;
    for (const size of brandOf(digits).groups) {
      if (at < digits.length) groups.push(digits.slice(at, at + size));
      at += size;
    }
    return groups.join(' ');
  };

  const luhn = (digits) =>
    digits
      .split('')
      .reverse()
      .reduce((sum, digit, i) => {
        const value = Number(digit) * (1 + (i % 2));
        return sum + (value > 9 ? value - 9 : value);
      }, 0) %
      10 ===
    0;

  const form = one('#card');
  const field = (name) => form?.elements.namedItem(name) ?? null;

  const CHECKS = {
    number: (text) => {
      const digits = digitsOf(text);
      return digits.length >= 12 && digits.length <= 19 && luhn(digits);
    },
    month: (text) => /^(0?[1-9]|1[0-2])$/.test(text),
    year: (text) => /^(20)?\d\d$/.test(text),
    cvv: (text, input) => (input.required ? /^\d{3,4}$/ : /^(\d{3,4})?$/).test(text),
    holder: (text, input) => (text === '' ? !input.required : Array.from(text).length >= 2),
    amount: (text) => /^\d+([.,]\d{1,2})?$/.test(text.replace(/\s/g, '')) && /[1-9]/.test(text),
  };

  const show = (name, bad) => {
    const text = one(`#bad-${name}`);
    if (text) text.hidden = !bad;
    const inputs = name === 'expiry' ? [field('month'), field('year')] : [field(name)];
    for (const input of inputs) {
      if (!input) continue;
      if (bad) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    }
  };

  const isExpired = () => {
    const [month, year] = [field('month')?.value.trim() ?? '', field('year')?.value.trim() ?? ''];
    if (!CHECKS.month(month) || !CHECKS.year(year)) return false;
    return year.slice(-2) + month.padStart(2, '0') < form.dataset.now;
  };

  const check = (input) => {
    const judge = CHECKS[input.name];
    if (!judge) return true;
    const right = judge(input.value.trim(), input);
    show(input.name, !right);
    return right;
  };
  const checkExpiry = () => {
    const expired = isExpired();
    if (expired || !one('#bad-expiry')?.hidden) show('expiry', expired);
    return !expired;
  };

  if (form) {
    // The server says the same in its own words; this is sooner.
    form.noValidate = true;
    const number = field('number');
    const brand = one('#brand');
    const regroup = () => {
      const digits = digitsOf(number.value).slice(0, 19);
      const before = digitsOf(number.value.slice(0, number.selectionStart ?? number.value.length)).length;
      const text = grouped(digits);
      if (text !== number.value) {
        number.value = text;
        let caret = 0;
        for (let seen = 0; seen < before && caret < text.length; caret++) if (text[caret] !== ' ') seen++;
        number.setSelectionRange(caret, caret);
      }
      const { name, lengths, cvv: cvvLength } = brandOf(digits);
      if (brand) brand.textContent = digits.length > 1 ? name : '';
      const cvv = field('cvv');
      if (cvv) cvv.maxLength = cvvLength;
      if (digits.length === lengths.at(-1)) check(number);
    };
    number?.addEventListener('input', regroup);
    if (number?.value) regroup();

    for (const input of all('input', form)) {
      input.addEventListener('blur', () => {
        if (input.value.trim() !== '' && check(input) && /^(month|year)$/.test(input.name)) checkExpiry();
      });
      input.addEventListener('input', () => {
        if (input.getAttribute('aria-invalid') !== 'true') return;
        if (check(input) && /^(month|year)$/.test(input.name)) checkExpiry();
      });
    }
    for (const name of ['month', 'year', 'cvv'])
      field(name)?.addEventListener('input', (event) => {
        const digits = digitsOf(event.target.value);
        if (digits !== event.target.value) event.target.value = digits;
      });

    form.addEventListener('submit', (event) => {
      const wrong = all('input', form).filter((input) => !check(input));
      const expired = !checkExpiry();
      if (wrong.length > 0 || expired) {
        event.preventDefault();
        event.stopImmediatePropagation();
        (wrong[0] ?? field('month')).focus();
      }
    });

    const told = {
      browser_color_depth: screen.colorDepth,
      browser_language: navigator.language,
      browser_screen_height: screen.height,
      browser_screen_width: screen.width,
      browser_timezone: new Date().getTimezoneOffset(),
      browser_java_enabled: false,
    };
    for (const [name, value] of Object.entries(told)) {
      const input = field(name);
      if (input) input.value = String(value);
    }
  }

  // A form is sent once, however often its button is pressed.
  for (const sent of all('form')) {
    sent.addEventListener('submit', (event) => {
      if (sent.dataset.sent) {
        event.preventDefault();
        return;
      }
      sent.dataset.sent = '1';
      const button = one('button', sent);
      if (button?.dataset.busy) {
        button.dataset.idle = button.textContent;
        button.textContent = button.dataset.busy;
      }
      // After the form's data has been gathered.
      setTimeout(() => {
        for (const other of all('button')) other.disabled = true;
      });
    });
  }
  // The browser shows the page as it left it: make it usable again.
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    for (const sent of all('form')) delete sent.dataset.sent;
    for (const button of all('button')) {
      button.disabled = false;
      if (button.dataset.idle) button.textContent = button.dataset.idle;
    }
  });

  // Goes on by itself where somebody arrives, and waits for a click where he comes back.
  const arrived = performance.getEntriesByType('navigation')[0]?.type === 'navigate';
  const go = one('[data-go] form') ?? one('form[data-go]');
  if (go && arrived) go.requestSubmit();

  const onward = one('a[data-onward]');
  if (onward) {
    if (window.top === window.self) location.replace(onward.href);
    else {
      try {
        // Allowed after a click in the frame, or by the frame's own owner.
        window.top.location.href = onward.href;
      } catch {
        // The link does it.
      }
    }
  }

  const again = one('[data-again]');
  if (again) setTimeout(() => location.replace(location.pathname), Number(again.dataset.again));

  const left = one('#left');
  if (left) {
    const until = performance.now() + Number(left.dataset.ms);
    const words = left.dataset.text ?? '{time}';
    const tick = () => {
      const seconds = Math.ceil((until - performance.now()) / 1000);
      if (seconds <= 0) {
        location.replace(location.pathname);
        return;
      }
      if (seconds <= 300) {
        left.hidden = false;
        const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
        left.textContent = words.replace('{time}', time);
      }
      setTimeout(tick, 1000);
    };
    tick();
  }

  for (const element of all('[data-script]')) element.hidden = false;
  one('#print')?.addEventListener('click', () => print());
})();
