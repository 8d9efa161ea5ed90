// A browser without script: it posts the forms it finds and goes where it is sent. Whatever fails on the way, it gives up quietly; what
// became of the order is found out by reading it.
import type { Answer, Asked, Asker } from '../asking.ts';
import { isAnswer } from '../asking.ts';

/** Where all servers of a world say that they are; whichever lives answers. */
export const PUBLIC_URL = 'http://pay.world.test';

export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The form of a page that asks for a code or brings a result; null: there is none. */
export function formIn({ text, url }: Answer): Form | null {
  const forms = [...text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form);
  const form = forms.find((one) => /name="(code|PaRes)"|class="code/.test(one)) ?? forms[0];
  const action = form && /action="([^"]*)"/.exec(form)?.[1];
  if (!form || !action) return null;
  const fields: Record<string, string> = {};
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name && /type="hidden"/.test(input)) fields[name] = /value="([^"]*)"/.exec(input)?.[1] ?? '';
  }
  return { action: new URL(action, url).pathname, fields };
}

/** The path of an address of ours, so that any server that lives may answer it. */
const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, 'http://here');
  return pathname + search;
};

export interface Payer {
  /** Through the bank's page with a code; what is to be posted to TermUrl, or null. */
  atBank(who: string, form3d: Readonly<Record<string, string>>, code: string): Promise<Form | null>;
  post(who: string, form: Form): Promise<Asked>;
  /** Opens a payment page and pays there; the answer to the form, or null when the page didn't open. */
  pay(who: string, url: string, card: Readonly<Record<string, string>>, step?: string): Promise<Asked | null>;
}

export function createPayer({ ask }: Asker): Payer {
  const post = (who: string, { action, fields }: Form): Promise<Asked> =>
    ask({
      who,
      method: 'POST',
      path: pathOf(action),
      form: fields,
      says: `payer posts ${pathOf(action).slice(0, 24)}`,
    });

  return {
    post,
    async atBank(who, { action = '', MD = '', PaReq = '', TermUrl = '' }, code) {
      const asked = await post(who, { action, fields: { MD, PaReq, TermUrl } });
      const page = isAnswer(asked) ? formIn(asked) : null;
      if (!page) return null;
      const told = await post(who, { action: page.action, fields: { ...page.fields, code, do: 'submit' } });
      return isAnswer(told) ? formIn(told) : null;
    },
    async pay(who, url, card, step = '') {
      const path = pathOf(url);
      const opened = await ask({ who, method: 'GET', path, says: 'payer opens the page' });
      if (!isAnswer(opened) || opened.status !== 200) return null;
      const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const form = /name="form" value="([^"]*)"/.exec(opened.text)?.[1] ?? '';
      return ask({
        who,
        method: 'POST',
        path: `${path}${step}`,
        form: { form, ...card },
        headers: { origin: PUBLIC_URL, ...(cookie ? { cookie } : {}) },
        says: `payer ${step === '' ? 'pays' : step.slice(1)}`,
      });
    },
  };
}
