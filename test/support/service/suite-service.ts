/** The service for all tests of a file: started at its top, stopped after its last test. */
import { after } from 'node:test'
import { startService, type ServiceOptions, type TestService, type TestSettings } from './service.ts'

export function startSuiteService(settings: TestSettings = {}, options: ServiceOptions = {}): Promise<TestService> {
  // Hooks of startService() take no arguments; a hook of the file would get a context of another type.
  const hooks = { after: (hook?: unknown) => after(hook as () => unknown) }
  return startService(hooks, settings, options)
}
