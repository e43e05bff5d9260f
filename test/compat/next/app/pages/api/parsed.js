import { handedOver } from '../../handed-over.js';

export default (request, response) => handedOver().pages(request, response);
