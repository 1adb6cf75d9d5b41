import { ReasonText } from './text.tsx'
import type { ComponentChildren } from 'preact'
import type { RequestError, RequestState } from '../request.ts'
import { signInUrl } from '../session.ts'
import { Button } from './buttons.tsx'
import { Icon } from './icons.tsx'

/** An error message with what the user can do about it: sign in or try again. */
export function ErrorNotice({ error, retry }: { error: RequestError; retry?: () => void }) {
  if (error.needsSignIn) {
    return (
      <div class="notice" role="status">
        <p>
          {error.code === 'auth_missing' ? 'Sign in to continue.' : 'Your session has expired.'} You will return to this
          page.
        </p>
        <p>
          <a class="button button--main" href={signInUrl(window.location)}>
            Sign in
          </a>
        </p>
      </div>
    )
  }
  return (
    <div class="notice notice--bad" role="alert">
      <p>
        <Icon name="warning" /> <ReasonText text={error.message} /> <code class="notice__code">{error.code}</code>
      </p>
      {error.retryable && retry && (
        <p>
          <Button icon="refresh" onClick={retry}>
            Try again
          </Button>
        </p>
      )}
    </div>
  )
}

/** A placeholder for an empty list, with a hint on how to fill it. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
    </section>
  )
}

/** A loading placeholder that reserves space, so that the page does not jump when the content arrives. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="skeleton__line" />
      ))}
    </div>
  )
}

/** Shows what a request loads, a placeholder of `lines` until it arrives, or why it failed. */
export function Loaded<T>({ state, retry, lines, children }: LoadedProps<T>) {
  if (state.status === 'loading') return <Skeleton lines={lines} />
  if (state.status === 'failed') return <ErrorNotice error={state.error} {...(retry && { retry })} />
  return <>{children(state.value)}</>
}

type LoadedProps<T> = {
  state: RequestState<T>
  retry?: () => void
  lines: number
  children: (value: T) => ComponentChildren
}
