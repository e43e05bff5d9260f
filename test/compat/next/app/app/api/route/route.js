import { handedOver } from '../../../handed-over.js';

const handle = (request) => handedOver().app(request);

// Next.js answers OPTIONS itself, with 204, where a route does not.
export { handle as OPTIONS, handle as POST, handle as PUT };
