/** One process of the campaign: `node program.mjs <setting>`. It prints how its run ended. */

import { type Clock, MessagingAutomation } from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { undiciTransport } from 'messaging-automation/undici';
import { ProxyAgent } from 'undici';
import { campaign } from './items.js';
import type { End, Setting } from './processes.js';

/** On this clock, time passes fifty times as fast, so that the waits of a run take moments. */
const speed = 50;
const fastClock: Clock = {
  now: () => performance.now() * speed,
  setTimer(callback, delay) {
    const timer = setTimeout(callback, delay / speed);
    return () => clearTimeout(timer);
  },
};

const setting: Setting = JSON.parse(process.argv[2] ?? '');
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const dispatcher = new ProxyAgent({ uri: setting.proxy, proxyTunnel: true });
const { transactional } = new MessagingAutomation({
  apiKey: setting.apiKey,
  baseUrl: setting.baseUrl,
  clock: fastClock,
  transport: undiciTransport({ dispatcher }),
  onDrift: () => {},
});

async function run(): Promise<End> {
  try {
    const { stoppedBecause, done, unknown } = await transactional.sendMany(campaign(setting.items), {
      checkpoint: fileCheckpoint(setting.checkpoint),
      signal: stop.signal,
      timeout: 600_000,
    });
    if (stoppedBecause === undefined) return { done, unknown };
    const { reason: stopped, error } = stoppedBecause;
    return { stopped, code: Reflect.get(Object(error), 'code'), done, unknown };
  } catch (error) {
    return { refused: String(error) };
  }
}

process.stdout.write(JSON.stringify(await run()));
await dispatcher.destroy();
