// A worker with Node's modules, which `./server` needs to load.
import * as server from 'messaging-automation/server';
import { server as serverChecks } from './server.mjs';
import { answer } from './worker-answer.mjs';

export default { fetch: (request) => answer(request, { server: serverChecks }, { server }) };
