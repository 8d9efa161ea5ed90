// What is answered of accounts and of everything that has a state, a balance or a statement. Rule: closed, as every answer is.
import Type from 'typebox';
import { Choice, Optional, Shape } from '../../http/index.ts';
import { currencyCode, milliseconds, minorUnits, money, page, shownId, shownText } from '../requests/index.ts';

export const instrumentState = Shape(
  {
    state: Choice(['ACTIVE', 'BLOCKED', 'DESTROYED']),
    blockedReason: Optional(Choice(['USER', 'SYSTEM', 'LOST'])),
    destroyedReason: Optional(Choice(['SYSTEM', 'USER', 'LOST', 'STOLEN', 'EXPIRED'])),
  },
  { title: 'InstrumentState' },
);

export const balances = Shape(
  {
    availableBalance: Type.Integer({ description: 'Minor units; without what is held.' }),
    actualBalance: minorUnits,
  },
  { title: 'Balances' },
);

export const managedAccount = Shape(
  {
    id: shownId,
    profileId: shownId,
    tag: Optional(shownText),
    friendlyName: shownText,
    currency: currencyCode,
    state: instrumentState,
    balances,
    creationTimestamp: milliseconds,
  },
  { title: 'ManagedAccount' },
);

const entry = Shape(
  {
    entryId: shownId,
    sequence: Type.Integer({ minimum: 1, description: 'Without gaps in an instrument.' }),
    transactionType: Choice([
      'DEPOSIT',
      'TRANSFER_IN',
      'TRANSFER_OUT',
      'FEE',
      'AUTHORISATION',
      'AUTHORISATION_INCREMENT',
      'AUTHORISATION_REVERSAL',
      'AUTHORISATION_EXPIRY',
      'SETTLEMENT',
      'REFUND',
      'REFUND_REVERSAL',
      'REPLACEMENT_IN',
      'REPLACEMENT_OUT',
    ]),
    transactionId: Optional(shownId),
    amount: money,
    availableBalanceAdjustment: money,
    actualBalanceAfter: money,
    availableBalanceAfter: money,
    additionalFields: Shape({
      description: Optional(shownText),
      merchantName: Optional(shownText),
      merchantId: Optional(shownText),
      mcc: Optional(shownText),
      cardId: Optional(shownId),
    }),
    processedTimestamp: milliseconds,
  },
  { title: 'StatementEntry' },
);

export const accountsPage = page('accounts', managedAccount);
export const statementPage = page('entry', entry);
