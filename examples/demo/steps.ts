import { styleText } from 'node:util';

/** Runs the steps of the demo in sequence and prints the result of each. */
export class Steps {
  #done = 0;

  /** Runs a step, which returns a description of what happened, or throws. */
  async step(title: string, action: () => Promise<string>): Promise<void> {
    const number = String(this.#done + 1).padStart(2);
    process.stdout.write(`${paint('dim', number)}  ${title.padEnd(44)}`);
    try {
      const outcome = await action();
      this.#done += 1;
      process.stdout.write(`${paint('green', 'ok')}  ${paint('dim', outcome)}\n`);
    } catch (error) {
      process.stdout.write(`${paint('red', 'failed')}\n`);
      throw error;
    }
  }

  get done(): number {
    return this.#done;
  }
}

export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return process.stdout.isTTY ? styleText(style, text) : text;
}
