import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiFault } from '../api-fault.ts'
import { asked } from '../asked.ts'
import { Dialog } from './dialog.tsx'
import { Fault } from './fault.tsx'

type Props = {
  title: string
  yes: string
  no: string
  act: () => Promise<unknown>
  onDone: () => void
  onClose: () => void
  children: ComponentChildren
}

/** Asks once more before what cannot be undone. It closes when it is done; a refusal is shown, and it stays. */
export function Confirm({ title, yes, no, act, onDone, onClose, children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const go = async () => {
    setBusy(true)
    const done = await asked(act)
    setBusy(false)
    if (done.state === 'failed') return setFault(done.fault)
    onDone()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      {fault && <Fault fault={fault} />}
      <div class="row">
        <button type="button" class="button button--bad" disabled={isBusy} onClick={() => void go()}>
          {yes}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {no}
        </button>
      </div>
    </Dialog>
  )
}
