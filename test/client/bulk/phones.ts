/** The phone of the item at this place. */
export const phoneOf = (index: number): string => `+1555${String(1_000_000 + index)}`;

/** The place of the item with this phone. */
export const indexOfPhone = (phone: string): number => Number(phone.slice('+1555'.length)) - 1_000_000;
