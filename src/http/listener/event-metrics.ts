// Metrics of events and their deliveries. Rule: totals and the worst, never one endpoint: their number is no label's.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What is the same whichever process looks, by what it is asked as. */
const FIGURES = {
  unnumbered: [
    'florin_events_unnumbered',
    'Events that are committed and have no position yet; 100000: so many or more.',
  ],
  oldestSeconds: ['florin_events_unnumbered_oldest_seconds', 'How long the first of them waits.'],
  behind: ['florin_webhook_behind_events', 'Events that were not dealt with yet, of all endpoints that are enabled.'],
  worstBehind: ['florin_webhook_behind_events_worst', 'The same of the endpoint that has most of them.'],
  worstSeconds: [
    'florin_webhook_behind_seconds_worst',
    'How old the oldest event is that an endpoint was not dealt with.',
  ],
  enabled: ['florin_webhook_endpoints_enabled', 'Endpoints that are sent to.'],
  failing: ['florin_webhook_endpoints_failing', 'Of those: without a delivery for an hour or longer.'],
  circuitsOpen: ['florin_webhook_circuits_open', 'Of those: nothing is sent but a probe now and then.'],
  disabled: ['florin_webhook_endpoints_disabled', 'Endpoints that are not sent to.'],
} as const;

export type AskedFigures = Readonly<Record<keyof typeof FIGURES, number>>;

export interface EventsAsked {
  figures(): Promise<AskedFigures>;
  /** Requests to receivers that are under way, in this process, and how many there may be. */
  readonly slots: { onTheirWay(): number; readonly places: number };
}

/** Told of each try: what it came to, why it was made, and of a first one that was delivered how old its event was; null: of others. */
export type CountTry = (outcome: string, trigger: string, delaySeconds: number | null) => void;

const DELAY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 86_400];

export function eventMetrics(registry: Registry, installation: Registry, { figures, slots }: EventsAsked): CountTry {
  askedTogether(installation, figures);
  const registers = [registry];
  new Gauge({
    name: 'florin_webhook_slots_in_use',
    help: `Requests to receivers that are under way, of ${slots.places}.`,
    registers,
    collect() {
      this.set(slots.onTheirWay());
    },
  });
  const tries = new Counter({
    name: 'florin_webhook_attempts_total',
    help: 'Requests to receivers: what they came to (delivered, gone, another class of statuses, or why there was no answer), and why they were made.',
    labelNames: ['outcome', 'trigger'],
    registers,
  });
  const delay = new Histogram({
    name: 'florin_webhook_delay_seconds',
    help: 'From the moment of an event to the answer of its first try, where that is delivered.',
    buckets: DELAY_SECONDS,
    registers,
  });
  return (outcome, trigger, delaySeconds) => {
    tries.inc({ outcome, trigger });
    if (delaySeconds !== null) delay.observe(delaySeconds);
  };
}

/** One question for all of them, whenever somebody looks; where nobody answers they stay as they were. */
function askedTogether(installation: Registry, ask: EventsAsked['figures']): void {
  let asking: Promise<AskedFigures | null> | null = null;
  const asked = (): Promise<AskedFigures | null> => {
    asking ??= ask()
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  for (const [name, [metric, help]] of Object.entries(FIGURES))
    new Gauge({
      name: metric,
      help,
      registers: [installation],
      async collect() {
        const found = await asked();
        if (found) this.set(found[name as keyof AskedFigures]);
      },
    });
}
