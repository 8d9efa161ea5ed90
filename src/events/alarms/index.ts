// alarms: what the operator is told of the installation itself. Owns alarms.
// Rule: told once a change, however often it is looked at.
export { type Alarm, type Alarms, createAlarms } from './alarms.ts';
export { type TellSetup, tellSetup } from './setup.ts';
