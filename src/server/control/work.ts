/** What the server does after it has answered: it can be waited for, and a failure in it is not lost. */
export class Work {
  readonly #underWay = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Starts the task once the code that runs now has finished, so that an answer is sent first. */
  start(task: () => Promise<void>): void {
    const turn = new Promise<void>((resolve) => setTimeout(resolve, 0));
    const running = turn.then(task).catch(this.#onFailure);
    this.#underWay.add(running);
    void running.finally(() => this.#underWay.delete(running));
  }

  /** Resolves when nothing is under way, including what the tasks themselves have started. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }
}
