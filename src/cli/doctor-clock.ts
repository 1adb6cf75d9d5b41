import type { Config } from '../config.ts'
import { createMirror, noMirror } from '../net/mirror.ts'
import { faulty, good, type Found } from './doctor-finding.ts'

/** Servers of the catalog whose clocks are believed. */
const hosts = ['api.census.gov', 'hydro.nationalmap.gov', 'hazards.fema.gov']
const wait_ms = 5000
/** A code of a login is good for a minute. */
const skewMax_s = 30

/** Compares the clock of this machine with the Date that a source answers with. */
export async function clockFinding({ offline, mirror }: Config): Promise<Found> {
  if (offline) return good('clock', 'Not compared: this server is offline.')
  const to = mirror === null ? noMirror : createMirror(mirror, () => true)
  for (const host of hosts) {
    const skew_s = await skewAgainst(to.rewrite(new URL(`https://${host}/`)))
    if (skew_s === null) continue
    const says = `The clock of this machine is ${Math.abs(skew_s).toFixed(0)} s ${skew_s < 0 ? 'behind' : 'ahead of'} that of ${host}`
    return Math.abs(skew_s) <= skewMax_s ? good('clock', `${says}.`) : faulty('clock', `${says}: tokens, logins and the expiry of runs go by it. Set it, and keep it set by NTP.`)
  }
  return faulty('clock', `None of ${hosts.join(', ')} said what time it is: look at the network, or set FIELDSTONE_OFFLINE=1.`)
}

/** A Date has whole seconds: half a second later on average. */
async function skewAgainst(address: URL): Promise<number | null> {
  try {
    const before = Date.now()
    // Not by the way out: an answer that refuses is thrown there without its headers, and here any answer tells the time.
    const { headers } = await fetch(address, { method: 'HEAD', redirect: 'manual', decompress: false, signal: AbortSignal.timeout(wait_ms) })
    const there = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(there) ? null : ((before + Date.now()) / 2 - there - 500) / 1000
  } catch {
    return null // another host is asked
  }
}
