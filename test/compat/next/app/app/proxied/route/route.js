export { OPTIONS, POST, PUT } from '../../api/route/route.js';
