import type { Surface } from '../surface/surface.js';
import {
  type ConnectionState,
  Progress,
  readStream,
  type StreamListener,
  type StreamReader,
  type Told,
} from './connection.js';
import { whenVisible } from './time.js';

/** What the tab with the connection tells the others. */
type Word =
  /** An event, and the id of the one before it. */
  { readonly told: Told; readonly after: string | undefined } | { readonly state: ConnectionState };

/**
 * Follows the journal with one connection for all tabs with this name, because a browser has six connections for a server, and an event
 * stream holds one. One tab leads: it has the connection, and tells the others what it receives. When it closes or freezes, another goes
 * on where it is. A page without HTTPS on another machine has no locks; there, each visible tab leads.
 */
export function followTogether(
  name: string,
  surface: Surface,
  reader: StreamReader,
  signal: AbortSignal,
): Promise<void> {
  return new Tab(name, surface, new Progress(reader), signal).follow();
}

class Tab {
  readonly #name: string;
  readonly #surface: Surface;
  readonly #progress: Progress;
  readonly #ending = new AbortController();
  readonly #others: BroadcastChannel;
  /** Resolves when the page is awake. */
  #awake: Promise<unknown> = Promise.resolve();
  #isCatchingUp = false;
  /** Whether it heard of something that it does not have. */
  #isBehind = false;

  constructor(name: string, surface: Surface, progress: Progress, signal: AbortSignal) {
    this.#name = name;
    this.#surface = surface;
    this.#progress = progress;
    this.#others = new BroadcastChannel(name);
    this.#others.onmessage = ({ data }: MessageEvent<Word>) => this.#hear(data);
    signal.addEventListener('abort', () => this.#end());
  }

  async follow(): Promise<void> {
    const { locks }: { readonly locks?: LockManager } = navigator;
    if (locks === undefined) return this.#leadWhileVisible();
    await locks.request(this.#name, { ifAvailable: true }, (lock) =>
      lock === null ? this.#catchUp() : this.#leadUntilFrozen(),
    );
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#awake;
      // The end aborts its wait.
      await locks.request(this.#name, { signal }, () => this.#leadUntilFrozen()).catch(() => {});
    }
  }

  #end(): void {
    this.#ending.abort();
    this.#others.close();
  }

  async #leadUntilFrozen(): Promise<void> {
    const freezing = new AbortController();
    const freeze = () => {
      this.#awake = new Promise((resolve) => document.addEventListener('resume', resolve, { once: true }));
      freezing.abort();
    };
    document.addEventListener('freeze', freeze, { once: true, signal: this.#ending.signal });
    await this.#lead(freezing.signal);
  }

  async #leadWhileVisible(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await new Promise<void>(whenVisible);
      const hiding = new AbortController();
      document.addEventListener('visibilitychange', () => hiding.abort(), { once: true });
      await this.#lead(hiding.signal);
    }
  }

  /** Has the connection, and tells the others what it receives. */
  #lead(pausing: AbortSignal): Promise<void> {
    const progress = this.#progress;
    const tell = (word: Word) => {
      if (!this.#ending.signal.aborted) this.#others.postMessage(word);
    };
    const listener: StreamListener = {
      get lastEventId() {
        return progress.lastEventId;
      },
      take: (told) => {
        tell({ told, after: progress.lastEventId });
        progress.take(told);
      },
      state: (state) => {
        // Each of the others finds out by itself that the key is no longer valid.
        if (state.kind === 'refused') this.#end();
        tell({ state });
        progress.state(state);
      },
    };
    return readStream(this.#surface, listener, AbortSignal.any([this.#ending.signal, pausing]));
  }

  #hear(word: Word): void {
    const progress = this.#progress;
    if ('state' in word) progress.state(word.state);
    else if (word.after === progress.lastEventId || progress.has(word.told.id)) progress.take(word.told);
    else void this.#catchUp();
  }

  /** Reads what this tab does not have. */
  async #catchUp(): Promise<void> {
    this.#isBehind = true;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    while (this.#isBehind && !this.#ending.signal.aborted) {
      this.#isBehind = false;
      await this.#readUntilCurrent();
    }
    this.#isCatchingUp = false;
  }

  #readUntilCurrent(): Promise<void> {
    const progress = this.#progress;
    const reached = new AbortController();
    const listener: StreamListener = {
      get lastEventId() {
        return progress.lastEventId;
      },
      take: (told) => {
        progress.take(told);
        if (progress.isCurrent) reached.abort();
      },
      state: (state) => {
        if (state.kind === 'refused') this.#end();
        progress.state(state);
      },
    };
    return readStream(this.#surface, listener, AbortSignal.any([this.#ending.signal, reached.signal]));
  }
}
