// link: an order and the address of its payment page, on the screen or as a picture.
// Rule: an address is told once; so it is printed also when the picture can't be written.
import { renderUnicodeCompact } from 'uqr';
import { at, type Call, type CommandSpec, given, type Json, type Options, textIn } from '../command.ts';
import { textWrite } from '../files.ts';

async function linkOf(call: Call, project: string | undefined, options: Options): Promise<Json> {
  const { amount, currency, description, merchantOrderId, language, template, returnUrl, staticLink } = options;
  const { expires, svg } = options;
  const link = await call(
    'POST',
    at`/projects/${project}/links`,
    given({
      amount,
      currency,
      description,
      merchant_order_id: merchantOrderId,
      language,
      template,
      return_url: returnUrl,
      static_link: staticLink,
      expiration_timeout: expires,
    }),
  );
  if (svg !== undefined) await textWrite(`${svg}`, textIn(link, 'qr_svg'), ` The address is ${textIn(link, 'url')}`);
  return link;
}

export const linkCommands: readonly CommandSpec[] = [
  {
    usage: 'link create <project>',
    summary: 'make an order and the address of its payment page, with a QR code',
    required: [['--currency <code>', 'currency of the order']],
    options: [
      ['--amount <decimal>', 'to pay; without it, and with --static-link, each payer enters one'],
      ['--description <text>', 'what is paid for'],
      ['--merchant-order-id <text>', "the merchant's own number"],
      ['--language <code>', 'language of the page'],
      ['--template <id>', 'template of the page'],
      ['--return-url <address>', 'where the payer goes afterwards'],
      ['--static-link', 'one address, an order for each payer'],
      ['--expires <duration>', 'how long the address is good: 30m, 2h, 7d'],
      ['--svg <file>', 'write the QR code there as a picture'],
    ],
    run: (call, [project], options) => linkOf(call, project, options),
    show(link) {
      const url = textIn(link, 'url');
      const picture = renderUnicodeCompact(url, { ecc: 'M', border: 4 });
      return `order_id  ${textIn(link, 'order_id')}\nurl       ${url}\n\n${picture}\n`;
    },
  },
];
