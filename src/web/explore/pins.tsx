import { useState } from 'preact/hooks'
import type { PinDocument, PinList } from '../../auth/account-document.ts'
import { FormDialog } from '../components/dialogs.tsx'
import { TextField } from '../components/inputs.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { Button } from '../components/buttons.tsx'
import type { Dashboard } from '../dashboard.ts'
import type { RequestError } from '../request.ts'
import { useAction, useRequest } from '../use-request.ts'
import { isSignedIn } from '../session.ts'

/** What a pin keeps: exactly one of the members is not null. */
type PinnedContent = Pick<PinDocument, 'place' | 'preset' | 'fields'>

/** The pins of the signed-in account. Visitors have none and cannot create any. */
export type Pins = {
  items: PinDocument[]
  /** Why the pins could not be loaded. */
  error: RequestError | null
  canPin: boolean
  reload(): void
  create(name: string, content: PinnedContent): Promise<unknown>
  /** Removes all pins that keep the same content. */
  remove(content: PinnedContent): Promise<unknown>
}

const path = '/v1/users/me/pins'

/** Loads the pins of the account. */
export function usePins({ api, session }: Dashboard): Pins {
  const hasAccount = isSignedIn(session)
  const [list, reload] = useRequest<Pick<PinList, 'items'>>(
    (signal) => (hasAccount ? api.get<PinList>(path, signal) : Promise.resolve({ items: [] })),
    [hasAccount],
  )
  const items = list.status === 'loaded' ? list.value.items : []
  return {
    items,
    error: list.status === 'failed' ? list.error : null,
    canPin: hasAccount && list.status === 'loaded',
    reload,
    create: (name, content) => api.post(path, { name, ...content }).finally(reload),
    remove: (content) => {
      const same = items.filter((pin) => isSameContent(pin, content))
      return Promise.all(same.map(({ id }) => api.send(`${path}/${id}`, { method: 'DELETE' }))).finally(reload)
    },
  }
}

type ButtonProps = {
  pins: Pins
  content: PinnedContent
  /** What the button says before it is pressed: "Pin place". */
  label: string
  defaultName: string
  look: 'chip' | 'small'
}

/** A toggle button that pins a place or fields under a name, and removes the pin. */
export function PinButton({ pins, content, label, defaultName, look }: ButtonProps) {
  const [isNaming, setNaming] = useState(false)
  const removal = useAction(() => pins.remove(content))
  if (!pins.canPin) return null
  const pinned = pins.items.find((pin) => isSameContent(pin, content))
  return (
    <>
      <Button
        look={look}
        icon="pin"
        aria-pressed={pinned !== undefined}
        title={pinned && `Remove the pin ${pinned.name}`}
        onClick={() => (pinned ? removal.start() : setNaming(true))}
      >
        {label}
      </Button>
      {removal.error && <ErrorNotice error={removal.error} />}
      {isNaming && (
        <PinDialog
          title={label}
          defaultName={defaultName}
          create={(name) => pins.create(name, content)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  )
}

type DialogProps = {
  title: string
  defaultName: string
  create: (name: string) => Promise<unknown>
  onClose: () => void
}

function PinDialog({ title, defaultName, create, onClose }: DialogProps) {
  const [name, setName] = useState(defaultName)
  const action = useAction(() => create(name.trim()), onClose)
  return (
    <FormDialog title={title} submit={title} isReady={name.trim() !== ''} action={action} onClose={onClose}>
      <TextField
        id="pin-name"
        label="Name"
        hint="Explore offers your pins in every browser that you sign in with."
        required
        maxLength={100}
        value={name}
        onText={setName}
      />
    </FormDialog>
  )
}

function isSameContent(a: PinnedContent, b: PinnedContent): boolean {
  return contentKey(a) === contentKey(b)
}

function contentKey({ place, preset, fields }: PinnedContent): string {
  return JSON.stringify([place && [place.lat, place.lng], preset, fields && fields.toSorted()])
}
