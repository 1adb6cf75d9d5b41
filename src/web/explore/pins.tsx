import { useState } from 'preact/hooks'
import type { PinDocument, PinList } from '../../auth/account-document.ts'
import { Dialog } from '../components/dialogs.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import type { Dashboard } from '../dashboard.ts'
import { type RequestError, runRequest } from '../request.ts'
import { useRequest } from '../use-request.ts'
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
  create(name: string, content: PinnedContent): Promise<RequestError | null>
  /** Removes all pins that keep the same content. */
  remove(content: PinnedContent): Promise<RequestError | null>
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
  const change = async (send: () => Promise<unknown>) => {
    const state = await runRequest(send)
    reload()
    return state.status === 'failed' ? state.error : null
  }
  return {
    items,
    error: list.status === 'failed' ? list.error : null,
    canPin: hasAccount && list.status === 'loaded',
    reload,
    create: (name, content) => change(() => api.post(path, { name, ...content })),
    remove: (content) =>
      change(() =>
        Promise.all(
          items
            .filter((pin) => isSameContent(pin, content))
            .map(({ id }) => api.send(`${path}/${id}`, { method: 'DELETE' })),
        ),
      ),
  }
}

type ButtonProps = {
  pins: Pins
  content: PinnedContent
  /** What the button says before it is pressed: "Pin place". */
  label: string
  defaultName: string
  /** The classes of the button. */
  look: string
}

/** A toggle button that pins a place or fields under a name, and removes the pin. */
export function PinButton({ pins, content, label, defaultName, look }: ButtonProps) {
  const [isNaming, setNaming] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  if (!pins.canPin) return null
  const pinned = pins.items.find((pin) => isSameContent(pin, content))
  const toggle = async () => {
    setError(null)
    if (pinned) setError(await pins.remove(content))
    else setNaming(true)
  }
  return (
    <>
      <button
        type="button"
        class={look}
        aria-pressed={pinned !== undefined}
        title={pinned && `Remove the pin ${pinned.name}`}
        onClick={() => void toggle()}
      >
        <Icon name="pin" />
        {label}
      </button>
      {error && <ErrorNotice error={error} />}
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
  create: (name: string) => Promise<RequestError | null>
  onClose: () => void
}

function PinDialog({ title, defaultName, create, onClose }: DialogProps) {
  const [name, setName] = useState(defaultName)
  const [error, setError] = useState<RequestError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const failure = await create(name.trim())
    setBusy(false)
    if (failure) setError(failure)
    else onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for="pin-name">Name</label>
          <input
            id="pin-name"
            class="input"
            required
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <span class="field__hint">Explore offers your pins in every browser that you sign in with.</span>
        </div>
        {error && <ErrorNotice error={error} />}
        <div class="row">
          <button class="button button--main" disabled={isBusy || name.trim() === ''}>
            {title}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function isSameContent(a: PinnedContent, b: PinnedContent): boolean {
  return contentKey(a) === contentKey(b)
}

function contentKey({ place, preset, fields }: PinnedContent): string {
  return JSON.stringify([place && [place.lat, place.lng], preset, fields && fields.toSorted()])
}
