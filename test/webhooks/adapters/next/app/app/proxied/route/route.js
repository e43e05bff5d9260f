export { POST, PUT } from '../../api/route/route.js';
