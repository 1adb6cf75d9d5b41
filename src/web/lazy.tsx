import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from './dashboard.ts'
import { Skeleton } from './components/notices.tsx'

/** Returns a page component that is loaded from its module when it is first shown. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType<PageProps>>>,
  name: Name,
): ComponentType<PageProps> {
  let Loaded: ComponentType<PageProps> | null = null
  return function LazyPage(props: PageProps) {
    const [isLoaded, setLoaded] = useState(Loaded !== null)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (Loaded) return
      const open = async () => {
        try {
          Loaded = (await load())[name]
          setLoaded(true)
        } catch {
          setFailed(true)
        }
      }
      void open()
    }, [])
    if (hasFailed)
      return (
        <p class="notice notice--bad" role="alert">
          This page could not be loaded. The server may have been updated. Reload the page.
        </p>
      )
    return isLoaded && Loaded ? <Loaded {...props} /> : <Skeleton lines={6} />
  }
}
