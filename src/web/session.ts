import { signal, type ReadonlySignal } from '@preact/signals'
import type { ApiClient } from './api-client.ts'
import { runRequest, type RequestState } from './request-state.ts'

/** Who is signed in; `isSession` is false where nobody has to sign in. */
export type CurrentUser = { id: string; name: string; scopes: string[]; isSession: boolean }

/** `me` is null when nobody is signed in; that it could not be asked is something else, and `refresh` asks again. */
export type SessionState = { readonly user: ReadonlySignal<RequestState<CurrentUser | null>>; refresh(): Promise<void> }

export function createSession(api: Pick<ApiClient, 'get'>): SessionState {
  const user = signal<RequestState<CurrentUser | null>>({ status: 'loading' })
  return {
    user,
    async refresh() {
      user.value = { status: 'loading' }
      const state = await runRequest(() =>
        api.get<Omit<CurrentUser, 'isSession'> & { csrf_token?: string }>('/v1/users/me'),
      )
      if (state.status === 'loaded') {
        const { csrf_token, ...account } = state.value
        user.value = { status: 'loaded', value: { ...account, isSession: csrf_token !== undefined } }
      } else
        user.value = state.status === 'failed' && state.error.needsSignIn ? { status: 'loaded', value: null } : state
    },
  }
}

/** Whether this server asks nobody for a token. */
export function isSignInDisabled({ user }: Pick<SessionState, 'user'>): boolean {
  return user.value.status === 'loaded' && user.value.value?.isSession === false
}

/** The page to sign in at, which leads back to where one was. */
export function signInUrl({ pathname, search }: { pathname: string; search: string }): string {
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`
}
