// The payment page as a browser without script sees it: it keeps the cookie, sends the forms that are there, and doesn't follow by itself.
export interface OpenPage {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  /** Posts the page's form with these fields; `step` is what stands behind the page's address: `/cancel`. */
  post(
    fields?: Readonly<Record<string, string>>,
    step?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

/** What a payer types, in full. */
export const typed = (number: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  number,
  month: '12',
  year: '30',
  cvv: '123',
  holder: 'Ada Example',
  ...more,
});

export async function openPage(url: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenPage> {
  const response = await fetch(url, { redirect: 'manual', headers });
  const html = await response.text();
  const cookie = (response.headers.get('set-cookie') ?? headers.cookie ?? '').split(';')[0] as string;
  const token = /name="form" value="([^"]*)"/.exec(html)?.[1] ?? '';
  return {
    status: response.status,
    html,
    headers: response.headers,
    post: (fields = {}, step = '', more = {}) =>
      fetch(`${url}${step}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(url).origin,
          ...(cookie ? { cookie } : {}),
          ...more,
        },
        body: new URLSearchParams({ form: token, ...fields }),
      }),
  };
}
