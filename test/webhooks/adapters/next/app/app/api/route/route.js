import { handedOver } from '../../../handed-over.js';

const handle = (request) => handedOver().app(request);

export { handle as POST, handle as PUT };
