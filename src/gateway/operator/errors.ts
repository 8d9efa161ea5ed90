// Refusals of the operator's own: what other rooms only answer with a value. Those of projects stand in projects/errors.ts.
import type { Problem } from '../projects/index.ts';

export const operatorRefusals = {
  rule_unknown: 'The project has no such rule',
  range_unknown: 'No such range was added',
  order_unknown: 'No such order',
  template_unknown: 'The project has no such template',
  project_closed: 'The project is closed',
  unfit: 'Validation failed',
} as const;

export type OperatorRefusalCode = keyof typeof operatorRefusals;

export class OperatorRefusal extends Error {
  override name = 'OperatorRefusal';
  readonly code: OperatorRefusalCode;
  /** Only for `unfit`: every wrong field. */
  readonly problems: readonly Problem[];

  constructor(code: OperatorRefusalCode, problems: readonly Problem[] = []) {
    super(operatorRefusals[code]);
    this.code = code;
    this.problems = problems;
  }
}
