// Cards of the sandbox that lead to a page, by what they do; of the scheme in src/network/simulator/cards.ts. Rule: none is anybody's.
import { simulated } from '../support/app.ts';

export const CARDS = {
  approved: '4111111111111111',
  challenge: '4999991092000004',
  declined: '4999991005100008',
  fraud: '4000000000000002',
  broken: '5555555555555599',
  lost: simulated('10', '910'),
  device: simulated('10', '928'),
  slow: simulated('10', '912'),
} as const;
