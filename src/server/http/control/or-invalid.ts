import { ServiceError } from '../../model/service-error.js';

/** Turns the TypeError or RangeError of a call into a response with status 400. */
export async function orInvalid<Result>(perform: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const { name, message } = Object(error);
    if (name !== 'TypeError' && name !== 'RangeError') throw error;
    throw new ServiceError('invalid_request', String(message));
  }
}
