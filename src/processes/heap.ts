// How much memory the server takes beside what it needs.
import { setFlagsFromString } from 'node:v8';

/**
 * The heap may grow to 1.8 times what lived at its last collection. By itself V8 lets that of a busy process grow to four times: under a full
 * load of authorizations 340 to 400 MB were resident instead of 270 to 290, and not one payment a second more. `npm run bench` tells it.
 */
export const boundHeap = (): void => setFlagsFromString('--heap-growing-percent=80');
