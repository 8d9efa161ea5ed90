// What is answered of what is secret about a card.
import { Shape } from '../../http/index.ts';
import { revealed } from '../cards/index.ts';
import { shownText } from '../requests/index.ts';

export const revealedValue = Shape({ value: shownText });
export const pin = Shape({ pin: revealed });
