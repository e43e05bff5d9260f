// A worker without Node's modules. `./server` is not for it: bundled into one file, `listen` brings `node:http` along.
import { response } from './worker-response.mjs';

export default { fetch: (request) => response(request) };
