import { isPhone } from '../../contract/phone.js';

/** The column of phones whose + a spreadsheet took: the import puts the + back. */
export const phoneWithoutPlus = 'phone_without_plus';

/** What a spreadsheet, a program or a person did to a phone, and how to mend it. The first that applies counts. */
const problems: readonly (readonly [appearance: RegExp, problem: string])[] = [
  [/^$/, 'The phone is empty.'],
  [
    /^=/,
    'The phone is a formula of a spreadsheet. Leave out the equals sign and the quotes around the number.',
  ],
  [/^#/, 'The phone is an error of a spreadsheet, such as #NAME?. Take the number from where it came from.'],
  [
    /^['’‘`´]/,
    'The phone begins with an apostrophe, which a spreadsheet uses to mark a text. Leave the apostrophe out.',
  ],
  [
    /^[+-]?\d+(?:[.,]\d+)?\s*e\s*[+-]?\d+$/i,
    'The phone is in exponent form: a spreadsheet made a number of it, and lost its last digits. Take it from where it ' +
      'came from, into a column that is formatted as text.',
  ],
  [/\+.*\+/s, 'The cell has more than one phone, or more than one +. Keep one phone.'],
  [
    /^\+?\d+[.,]0*$/,
    'The phone is a decimal number: a program made a number of it. Leave out the decimals, and begin with + and the ' +
      'country code.',
  ],
  [
    /(?![0-9])\p{Nd}|[＋﹢]/u,
    'The phone has a + or digits of another script or width. Write it with + and the digits 0 to 9.',
  ],
  [/\p{L}/u, 'The phone has letters. Keep the + and the digits, and put an extension elsewhere.'],
  [/^\D*0\D*0\D*[1-9]/, 'The phone begins with 00. Write + in place of 00.'],
  [/^[^+\d]*\+.*\(0\)/s, 'The phone has a (0), which is dialled within its country only. Leave it out.'],
  [
    /^[^+\d]*0/,
    'The phone begins with 0, as within its country. Write + and the country code in place of that 0.',
  ],
  [/^\+0/, 'The phone begins with +0, and no country code does. Correct the country code.'],
  [
    /^[1-9]\d{6,14}$/,
    'The phone has no +: a spreadsheet takes it away. If the number begins with its country code, put + before it, in a ' +
      `column that is formatted as text. If all numbers of the column do, name it ${phoneWithoutPlus} instead.`,
  ],
  [/^\+?\d{16,}$/, 'The phone has more than 15 digits. Correct it.'],
  [/^\+?\d*$/, 'The phone has too few digits. Correct it: +, the country code and the number.'],
  [/^/, 'The phone has spaces, brackets or other signs. Keep the + with the country code, and the digits.'],
];

/** A character that nobody sees, also a space other than that of the keyboard. */
const invisible = /(?![ \t\r\n])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u;

/** Why a phone is not in E.164 format, without the phone; `undefined` if it is. */
export function phoneProblem(phone: string): string | undefined {
  if (isPhone(phone)) return undefined;
  const mark = invisible.exec(phone)?.[0];
  if (mark !== undefined) {
    const code = mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `The phone has an invisible character (U+${code}), as copied texts have. Type the number anew.`;
  }
  return problems.find(([appearance]) => appearance.test(phone))?.[1];
}

/** The phone in a cell of a column `phone_without_plus`. */
export function withPlus(phone: string): string {
  return /^[1-9]\d{6,14}$/.test(phone) ? `+${phone}` : phone;
}
