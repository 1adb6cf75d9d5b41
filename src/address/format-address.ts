import type { AddressParts } from './address.ts'

/** An address on one line in Postal Service style: `1109 N Highland St Apt 4, Arlington, VA 22201`. */
export function formatAddress(parts: AddressParts & { crossing?: AddressParts }): string {
  const { number, unit, city, state, zip, crossing } = parts
  const street = [number, formatStreet(parts), crossing && `& ${formatStreet(crossing)}`, unit]
    .filter((it) => it !== undefined && it !== '')
    .join(' ')
  return [street, city, [state, zip].filter((it) => it !== undefined).join(' ')]
    .filter((it) => it !== undefined && it !== '')
    .join(', ')
}

/** A street on one line: `N Highland St`. */
export function formatStreet({ predirectional, pretype, street, suffix, postdirectional }: AddressParts): string {
  return [predirectional, pretype, street, suffix, postdirectional].filter((it) => it !== undefined).join(' ')
}
