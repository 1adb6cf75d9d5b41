type TrustedTypes = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): unknown }

/** Under the policy of the page nothing becomes markup, and the map engine may start its own worker and no other script. */
export function installTrustedTypesPolicy(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createScriptURL: requireOwnScript })
}

function requireOwnScript(url: string): string {
  const { origin, pathname } = new URL(url, window.location.href)
  if (origin === window.location.origin && pathname.startsWith('/assets/')) return url
  throw new TypeError(`${url} is no script of this page.`)
}
