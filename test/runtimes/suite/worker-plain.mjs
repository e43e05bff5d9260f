// A worker without Node's modules. `./server` is not for it: bundled into one file, `listen` brings `node:http` along.
import { answer } from './worker-answer.mjs';

export default { fetch: (request) => answer(request) };
