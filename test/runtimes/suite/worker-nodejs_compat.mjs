// A worker with Node's modules, which `./server` needs to load.
import * as server from 'messaging-automation/server';
import { server as serverChecks } from './server.mjs';
import { response } from './worker-response.mjs';

export default { fetch: (request) => response(request, { server: serverChecks }, { server }) };
