import { invalidRequest } from '../../model/service-error.js';

/** Does what refuses a program's input by throwing; over HTTP that is a refusal with 400. */
export async function orInvalid<Result>(perform: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const { name, message } = Object(error);
    if (name !== 'TypeError' && name !== 'RangeError') throw error;
    throw invalidRequest([{ field: '', message: `cannot be done: ${message}` }]);
  }
}
