// The client loads these when it first needs them. A test that lets a few turns of the event loop pass must not wait for a file.
import '../../src/client/bulk/item-run.js';
import '../../src/client/call/ask-guards.js';
import '../../src/client/idempotency/once.js';
import '../../src/client/call/pass-through-middleware.js';
import '../../src/client/observability/watching.js';
import '../../src/client/response/failures.js';
import '../../src/client/transport/ky-transport.js';
