// The terminal of an order: which of the project's it goes out through, and whether that takes new money. Pure.
// Rule: an order keeps the terminal that it was made with. Only a new one is given one by its currency.
import type { Project, Terminal } from '../projects/index.ts';
import type { RejectionCode } from './rejections.ts';

export function terminalOf(project: Project, id: string): Terminal | null {
  return project.terminals.find((terminal) => terminal.id === id) ?? null;
}

/** The named terminal, or the first that takes the currency. */
export function terminalFor(project: Project, named: string | undefined, currency: string): Terminal | null {
  if (named) {
    const terminal = terminalOf(project, named);
    return terminal?.currencies.includes(currency) ? terminal : null;
  }
  return project.terminals.find((terminal) => terminal.currencies.includes(currency)) ?? null;
}

/** Why this project takes no new money through this terminal; null: it does. What was authorized before is carried to its end. */
export function closedTo(project: Project, terminal: Terminal | null, currency: string): RejectionCode | null {
  if (!project.active) return 'project_closed';
  return terminal?.currencies.includes(currency) ? null : 'currency_not_accepted';
}
