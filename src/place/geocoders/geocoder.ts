import type { AddressMatch, ParsedAddress } from '../../address/address.ts'
import type { Budget } from '../../model/source.ts'

/**
 * Somebody who knows addresses. `find` gives every match there is, none where there is none, and throws an UpstreamError when it could not
 * be asked. `limit_ms`: what it is given; `edition`: what it answers from, where that can change.
 */
export type Geocoder = {
  name: string
  timeout_ms: number
  edition(): string
  /** Whether it can be asked for such an address at all. */
  accepts(address: ParsedAddress): boolean
  /** Whether its score already says how well the parts of the address agree. */
  scoresParts: boolean
  /** Whether it knows a part of the country only, so that what it does not find may be there. */
  hasPartialCoverage: boolean
  /** Every call is billed. */
  metered?: true
  find(address: ParsedAddress, budget: Budget): Promise<AddressMatch[]>
}
