import { signal, type ReadonlySignal } from '@preact/signals'
import type { CurrentUserDocument } from '../auth/account-document.ts'
import type { ApiClient } from './api-client.ts'
import { runRequest, type RequestState } from './request.ts'

/** The signed-in user; `isSession` is false when sign-in is disabled. */
export type CurrentUser = Omit<CurrentUserDocument, 'csrf_token'> & { isSession: boolean }

/** `user` holds null when nobody is signed in. A failed request is a separate state; `refresh` retries it. */
export type SessionState = { readonly user: ReadonlySignal<RequestState<CurrentUser | null>>; refresh(): Promise<void> }

export function createSession(api: Pick<ApiClient, 'get'>): SessionState {
  const user = signal<RequestState<CurrentUser | null>>({ status: 'loading' })
  return {
    user,
    async refresh() {
      user.value = { status: 'loading' }
      const state = await runRequest(() => api.get<CurrentUserDocument>('/v1/users/me'))
      if (state.status === 'loaded') {
        const { csrf_token, ...account } = state.value
        user.value = { status: 'loaded', value: { ...account, isSession: csrf_token !== undefined } }
      } else
        user.value = state.status === 'failed' && state.error.needsSignIn ? { status: 'loaded', value: null } : state
    },
  }
}

/** Whether sign-in is disabled on this server (`FIELDSTONE_AUTH=off`). */
export function isSignInDisabled({ user }: Pick<SessionState, 'user'>): boolean {
  return user.value.status === 'loaded' && user.value.value?.isSession === false
}

/** Whether somebody is signed in, or sign-in is disabled. */
export function isSignedIn({ user }: Pick<SessionState, 'user'>): boolean {
  return user.value.status === 'loaded' && user.value.value !== null
}

/** Returns the URL of the sign-in page, which returns to the given location. */
export function signInUrl({ pathname, search }: { pathname: string; search: string }): string {
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`
}
