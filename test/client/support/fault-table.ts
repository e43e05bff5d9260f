import { RequestError } from 'messaging-automation';

/** What tests observed: for each operation and fault, how many requests arrived and what the call ended with. */
export class FaultTable {
  readonly #requests = new Map<string, number>();
  readonly #outcomes = new Map<string, Set<string>>();
  readonly #operations = new Set<string>();

  /** How many pairs of an operation and a fault were observed. */
  get size(): number {
    return this.#requests.size;
  }

  add(operation: string, fault: string, requests: number, failure: unknown): void {
    this.#operations.add(operation);
    this.#requests.set(`${operation}, ${fault}`, requests);
    const outcomes = this.#outcomes.get(fault) ?? new Set();
    outcomes.add(failure instanceof RequestError ? failure.outcome : String(failure));
    this.#outcomes.set(fault, outcomes);
  }

  /** A table of 80 columns: the faults have letters, which a legend explains. */
  toString(): string {
    const faults = [...this.#outcomes].map(([fault, outcomes], index) => ({
      letter: String.fromCharCode('a'.charCodeAt(0) + index),
      fault,
      outcome: [...outcomes].join(' or '),
    }));
    const width = Math.max(...faults.map(({ fault }) => fault.length));
    const row = (name: string, cells: readonly string[]) =>
      `${name.padEnd(20)}${cells.map((cell) => cell.padStart(3)).join('')}`;
    return [
      'requests that arrive, two retries allowed, and the outcome of the error',
      '',
      ...faults.map(({ letter, fault, outcome }) => `${letter}  ${fault.padEnd(width)}  ${outcome}`),
      '',
      row(
        '',
        faults.map(({ letter }) => letter),
      ),
      ...[...this.#operations].map((operation) =>
        row(
          operation,
          faults.map(({ fault }) => String(this.#requests.get(`${operation}, ${fault}`) ?? '')),
        ),
      ),
    ].join('\n');
  }
}
