import { useEffect } from 'preact/hooks'

/** Sets the title of the browser tab; null while it is unknown. */
export function usePageTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Fieldstone`
  }, [title])
}
