import { handedOver } from '../../handed-over.js';

export const config = { api: { bodyParser: false } };

export default (request, response) => handedOver().pages(request, response);
