import { readFileSync } from 'node:fs'
import type { ClaimingProcess } from '../billed-calls.ts'
import { stepOf } from '../sql.ts'

/** Creates the claims of this process. Whether another process of this machine has ended is seen from its name. */
export function createLocalClaims(): ClaimingProcess {
  return {
    owner: processNameOf(process.pid)!,
    hold: () => Promise.resolve(),
    release() {},
    hasEnded: (_sql, owner) => stepOf(processNameOf(Number.parseInt(owner, 10)) !== owner),
  }
}

/** Returns the name of a process of this machine; null if there is none with this number. */
function processNameOf(pid: number): string | null {
  try {
    process.kill(pid, 0)
  } catch {
    return null
  }
  const [state, started] = readState(pid)
  return state === 'Z' ? null : `${pid}:${started}`
}

/** The state and the start of a process, because the numbers of processes are used again. Empty where Linux is not. */
function readState(pid: number): [state: string, started: string] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return [fields[0]!, fields[19]!]
  } catch {
    return ['', '']
  }
}
