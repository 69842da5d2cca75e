AutoDeriveTaskDependencies: tasks of automatic scopes can name the tasks that they wait for (option analyze_auto_scopes).
