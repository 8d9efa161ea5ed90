// Payment links that somebody at a desk makes, under `/operator/projects/:login/links`.
// Rule: an address of a payment page stands in the answer that makes it, in no other and in no audit row.
import Type from 'typebox';
import { refuserOf, unfit } from '../../base/index.ts';
import {
  Amount,
  type Changes,
  Currency,
  Duration,
  Flag,
  Id,
  type OperatorEndpoint,
  Optional,
  operatorEndpoint,
  Shape,
  Text,
  Token,
  type Violation,
  WebAddress,
} from '../../http/index.ts';
import type { Committer } from '../../store/index.ts';
import { ownerNamed, type Project, ProjectPath, type Projects, projectRefusal } from '../projects/index.ts';
import type { LinkFields, LinkResult } from './link.ts';
import { qrSvg } from './qr.ts';

const refuse = refuserOf({ project_closed: ['conflict', 'The project is closed'] });
const Language = Optional(Text({ max: 35, description: 'Language of the page: en, de, fr …; en by default.' }));

const Link = Shape(
  {
    amount: Optional(Amount({ zero: true, description: 'Required, greater than zero, unless static_link is set.' })),
    currency: Currency(),
    description: Optional(Text({ max: 1000, description: 'What is paid for; the payer reads it.' })),
    merchant_order_id: Optional(Token()),
    language: Language,
    template: Optional(Token({ max: 64, description: 'Id of a template of the project.' })),
    return_url: Optional(WebAddress({ description: 'Where the payer goes afterwards.' })),
    static_link: Optional(
      Flag({ description: 'One address, an order for each payer; without amount each payer enters one.' }),
    ),
    expiration_timeout: Optional(Duration({ description: 'How long the address is good; an hour by default.' })),
  },
  { title: 'PaymentLink' },
);

const paymentLink = Shape(
  {
    order_id: Id(),
    url: Type.String({ format: 'uri' }),
    qr_svg: Type.String({ description: 'SVG, black on white, with quiet zone.' }),
  },
  { title: 'ShownPaymentLink' },
);

/** Without amount there is a payer who enters it. */
function wrongLink({ amount, static_link }: Readonly<Record<string, unknown>>): Violation[] {
  const isZero = typeof amount === 'string' && /^0(\.0{1,2})?$/.test(amount);
  if (static_link === true || static_link === '1' || !(amount === undefined || isZero)) return [];
  const details = ['an amount greater than zero, or static_link'];
  return [{ path: ['amount'], message: isZero ? 'Not allowed' : 'Required', attribute: 'required', details }];
}

/** What an operator's requests for payment links are served with. */
export interface LinksDesk {
  readonly projects: Pick<Projects, 'byLogin'>;
  readonly changes: Changes;
  /** Makes an order and the address of its page. */
  readonly createLink: (committer: Committer, project: Project, fields: LinkFields) => Promise<LinkResult>;
}

export function linkOperatorEndpoints({ projects, changes, createLink }: LinksDesk): OperatorEndpoint[] {
  return [
    operatorEndpoint({
      method: 'POST',
      path: '/projects/:login/links',
      operation: 'linkCreate',
      summary: 'Makes an order and the address of its payment page, to be sent or shown as a picture',
      description: 'The address is told once. `qr_svg` is the address as a QR code.',
      right: null,
      params: ProjectPath,
      body: Link,
      wrongIn: wrongLink,
      example: { amount: 49.9, currency: 'EUR', description: 'Invoice 1001', expiration_timeout: '7d' },
      answers: {
        201: {
          description: 'The order, its address, and the address as a picture',
          headers: { Location: 'Payment page' },
          schema: paymentLink,
        },
        409: { description: 'The project is closed' },
        404: { description: 'No such project' },
        422: { description: 'Wrong fields' },
      },
      async handler(input) {
        const { login } = input.params;
        const entry = { owner: ownerNamed(projects, login), action: 'link.create', target: login };
        const made = await changes.byCommands(input, entry, async (committer) => {
          const project = await projects.byLogin(login);
          if (!project) throw projectRefusal('project_unknown');
          if (!project.active) throw refuse('project_closed');
          const result = await createLink(committer, project, input.body);
          if ('problems' in result) throw unfit(result.problems);
          return result;
        });
        return { status: 201, body: { ...made, qr_svg: qrSvg(made.url) }, location: made.url };
      },
    }),
  ];
}
