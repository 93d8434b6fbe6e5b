/** What a remote_config must fulfil beyond its types, because an app that reads it would not start again. */
import { describe } from '../../base/failure.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { problemAt, throwProblem, type Report } from './problems.ts'

/** Semantic Versioning 2.0.0, section 2, with the parts that the apps' parser accepts. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** Reports what decodes and still stops the apps; without `report`, throws it. Wrong types were reported before. */
export function checkRemoteConfig({ appStatus, feedDecoratorConfig }: JsonObject, report: Report = throwProblem): void {
  if (isObject(appStatus) && appStatus['isLatestVersionOnly'] === true) {
    const version = appStatus['latestAppVersion']
    if (typeof version === 'string' && !VERSION.test(version)) {
      const wanted = 'a version such as 1.2.0 while isLatestVersionOnly is true'
      const message = `expected ${wanted}, found ${describe(version)}`
      report(problemAt('appStatus.latestAppVersion', 'notVersion', message))
    }
  }
  if (!isObject(feedDecoratorConfig)) return
  for (const [kind, decorator] of Object.entries(feedDecoratorConfig)) {
    if (!isObject(decorator) || decorator['enabled'] !== true || decorator['category'] !== 'contentCollection') continue
    if (decorator['itemsToDisplay'] !== null) continue
    const message = 'expected a number while this content collection is enabled, found null'
    report(problemAt(`feedDecoratorConfig.${kind}.itemsToDisplay`, 'required', message))
  }
}
