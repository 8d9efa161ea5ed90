// Refusals of the operator's own: what other rooms only answer with a value. Those of projects stand in projects/errors.ts.
import type { Problem } from '../projects/index.ts';

export const operatorRefusals = {
  rule_unknown: 'The project has no such rule',
  range_unknown: 'No such range was added',
  order_unknown: 'No such order',
  template_unknown: 'The project has no such template',
  operation_not_in_flight: 'No operation in flight has this id: it is settled already, or never was',
  operation_not_stuck: 'The operation is still asked for by itself',
  operation_being_asked: 'The acquirer is asked for it within this minute: try again after that',
  operation_owed: 'A reversal that never arrived is still owed: it is sent until the acquirer knows of it',
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
